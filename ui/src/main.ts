// Starts the page.
import { applyTheme } from "./shell/settings";
import "./shell/app";

applyTheme();
