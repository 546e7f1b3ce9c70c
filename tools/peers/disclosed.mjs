// A client written with the TypeScript SDK 2.x that looks at what a model is given of each tool, and reads the help.
// usage: node disclosed.mjs legacy|modern with|without CMD ARGS...

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [, , era, which, command, ...args] = process.argv;
const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
const client = new Client({ name: 'reader', version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command, args }));
const { tools } = await client.listTools();
const help = which === 'with' ? (await client.readResource({ uri: 'overt://ai-help' })).contents[0].text : undefined;
console.log(
  JSON.stringify({
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema: JSON.stringify(inputSchema) })),
    help,
  }),
);
await client.close();
