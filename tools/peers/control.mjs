// A client written with the TypeScript SDK 2.x that makes one call which may need a person, answers for the person, and prints
// what came of it as one line of JSON.
// usage: node control.mjs legacy|modern ANSWER META TOOL ARGUMENTS CMD ARGS...
// ANSWER is what the person chooses (`once`, `no`, …), or `absent` where nobody can be asked.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [, , era, answer, meta, name, toolArguments, command, ...args] = process.argv;
const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
const capabilities = answer === 'absent' ? {} : { elicitation: { form: {} } };
const client = new Client({ name: 'approver', version: '1' }, { capabilities, versionNegotiation: { mode } });
const asked = [];
if (answer !== 'absent') {
  client.setRequestHandler('elicitation/create', async (request) => {
    asked.push(request.params.message);
    return { action: 'accept', content: { decision: answer } };
  });
}
await client.connect(new StdioClientTransport({ command, args }));
const report = { version: client.getNegotiatedProtocolVersion(), asked };
report.tools = (await client.listTools()).tools.map((tool) => tool.name);
try {
  const result = await client.callTool({ name, arguments: JSON.parse(toolArguments), _meta: JSON.parse(meta) });
  report.isError = result.isError ?? false;
  report.text = result.content.map((item) => item.text ?? '').join('\n');
  report.meta = result._meta ?? {};
} catch (error) {
  report.error = { code: error.code, data: error.data ?? null };
}
console.log(JSON.stringify(report));
await client.close();
