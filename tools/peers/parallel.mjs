// A client written with the TypeScript SDK 2.x that can be asked questions and makes many calls at the same time, then one
// more. Prints the texts that it got as one line of JSON.
// usage: node parallel.mjs legacy|modern CALLS LAST (URL | CMD ARGS...)
// CALLS is a list of `{ name, arguments }`, LAST is one such call.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [, , era, calls, last, first, ...args] = process.argv;
const transport = first.startsWith('http:')
  ? new StreamableHTTPClientTransport(new URL(first))
  : new StdioClientTransport({ command: first, args });
const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
const options = { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } };
const client = new Client({ name: 'parallel', version: '1' }, options);
client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' }));
await client.connect(transport);
const text = async (call) => (await client.callTool(call)).content.map((item) => item.text ?? '').join('\n');
const texts = await Promise.all(JSON.parse(calls).map(text));
console.log(JSON.stringify({ version: client.getNegotiatedProtocolVersion(), texts, last: await text(JSON.parse(last)) }));
await client.close();
