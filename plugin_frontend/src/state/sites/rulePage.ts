// The page of the rule that the address names.

import { computed } from "@preact/signals";
import { fetchRule } from "../../api/routes.ts";
import type { RulePage } from "../../api/types.ts";
import { ask } from "../loading/ask.ts";
import { place } from "../place.ts";

const code = computed(() => place.value.rule);

export const { answer: rulePage, start: loadRulePage } = ask<RulePage>(code, fetchRule);
