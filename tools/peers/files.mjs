// A client written with the TypeScript SDK 2.x that lists, makes some calls in one session, answers for the person, and prints
// what came of it as one line of JSON.
// usage: node files.mjs legacy|modern ANSWER CALLS (URL | CMD ARGS...)
// CALLS is a list of { name, arguments, meta }; `PLAN` in `meta` stands for the plan that the last preview gave.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [, , era, answer, calls, first, ...args] = process.argv;
const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
const capabilities = { elicitation: { form: {} } };
const client = new Client({ name: 'files', version: '1' }, { capabilities, versionNegotiation: { mode } });
const asked = [];
client.setRequestHandler('elicitation/create', async (request) => {
  asked.push(request.params.message);
  return { action: 'accept', content: { decision: answer } };
});
const transport = first.startsWith('http:')
  ? new StreamableHTTPClientTransport(new URL(first))
  : new StdioClientTransport({ command: first, args });
await client.connect(transport);
const report = { version: client.getNegotiatedProtocolVersion(), asked, calls: [] };
const { tools } = await client.listTools();
report.tools = tools.map((tool) => tool.name);
report.definitions = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
let plan;
for (const call of JSON.parse(calls)) {
  const meta = { ...call.meta };
  if (meta['dev.overt/plan'] === 'PLAN') meta['dev.overt/plan'] = plan;
  try {
    const result = await client.callTool({ name: call.name, arguments: call.arguments, _meta: meta });
    plan = result._meta?.['dev.overt/plan'] ?? plan;
    const text = result.content.map((item) => item.text ?? '').join('\n');
    report.calls.push({ isError: result.isError ?? false, text, structured: result.structuredContent ?? null });
  } catch (error) {
    report.calls.push({ isError: true, text: `${error}` });
  }
}
console.log(JSON.stringify(report));
await client.close();
