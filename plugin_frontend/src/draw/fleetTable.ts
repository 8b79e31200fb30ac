// The rules of the list of all runs, which travel with its code.

import rules from "../theme/fleet.css?inline";
import { adoptAlso } from "../theme/style.ts";

adoptAlso(rules);
