// The package: importing it defines `<mcp-view>`.
import { McpView } from "./element";

export { McpView };
export { protocolVersion } from "./session";
export * from "./types";

declare global {
  interface HTMLElementTagNameMap {
    "mcp-view": McpView;
  }
}

if (!customElements.get("mcp-view")) customElements.define("mcp-view", McpView);
