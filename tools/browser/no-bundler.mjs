// Stands in for the bundler that the Inspector imports and calls only for its own developers. `tools/npm` does not install it.
import { registerHooks } from "node:module";

const stub = "data:text/javascript,export const createServer = () => { throw new Error('there is no bundler here'); }; export default createServer;";

registerHooks({
  resolve: (name, context, next) => (name === "vite" || name === "@vitejs/plugin-react" ? { url: stub, shortCircuit: true } : next(name, context)),
});
