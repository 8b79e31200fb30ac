// The rules of the views that show tables of the trace, adopted with the first of them.

import { adoptAlso } from "./style.ts";
import rules from "./trace-tables.css?inline";

adoptAlso(rules);
