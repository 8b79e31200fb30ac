// The rules of the views that show tables of the trace, adopted with the first of them.

import { adoptAlso } from "../theme/style.ts";
import rules from "../theme/trace-tables.css?inline";

adoptAlso(rules);
