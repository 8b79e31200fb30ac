// What TensorBoard's page does with the bundle.

import { render } from "../src/main.tsx";

render();
