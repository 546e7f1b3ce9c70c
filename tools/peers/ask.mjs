// A client written with the TypeScript SDK 2.x that makes some requests in one session and prints the results as one line of JSON.
// usage: node ask.mjs legacy|modern REQUESTS (URL | CMD ARGS...)
// REQUESTS is a list of { method, params }; methods that the SDK does not know are sent as they are.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [, , era, requests, first, ...args] = process.argv;
const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
const client = new Client({ name: 'ask', version: '1' }, { versionNegotiation: { mode } });
const transport = first.startsWith('http:')
  ? new StreamableHTTPClientTransport(new URL(first))
  : new StdioClientTransport({ command: first, args });
await client.connect(transport);

const known = {
  'resources/list': (params) => client.listResources(params),
  'resources/templates/list': (params) => client.listResourceTemplates(params),
  'resources/read': (params) => client.readResource(params),
  'tools/list': (params) => client.listTools(params),
  'tools/call': (params) => client.callTool(params),
  'prompts/get': (params) => client.getPrompt(params),
};
const anything = { '~standard': { version: 1, vendor: 'ask', validate: (value) => ({ value }) } };
const answers = [];
for (const { method, params } of JSON.parse(requests)) {
  const ask = known[method] ?? ((params) => client.request({ method, params }, anything));
  try {
    answers.push(await ask(params));
  } catch (error) {
    answers.push({ error: `${error}` });
  }
}
console.log(JSON.stringify({ version: client.getNegotiatedProtocolVersion(), answers }));
await client.close();
