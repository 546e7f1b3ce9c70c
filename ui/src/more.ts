// The second part of the page, see `lazy.ts`.
import "./policy/view";
import "./servers/definitions";
import "./servers/trust";
