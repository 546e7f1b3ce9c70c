// Every view before the mock, which has data for all of them.
import { harness } from "./harness.mjs";
import { checkViews } from "./views.mjs";

checkViews(harness(), () => ({}));
