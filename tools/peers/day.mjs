// A client written with the TypeScript SDK 2.x that starts the servers of a configuration as the file says, makes calls to them,
// answers for the person, and prints what came of it as one line of JSON.
// usage: node day.mjs legacy|modern ANSWER CONFIGURATION CALLS
// ANSWER is what the person chooses in each dialog (`session-server`, …), or `absent` where nobody can be asked. CALLS is a file with a
// list of { server, tool, arguments }.

import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport, getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';

const [, , era, answer, configuration, calls] = process.argv;
const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
const capabilities = answer === 'absent' ? {} : { elicitation: { form: {} } };
const { mcpServers } = JSON.parse(readFileSync(configuration, 'utf8'));
const report = { versions: {}, asked: [], calls: [] };
const clients = {};

async function connect(name) {
  const { command, args, env } = mcpServers[name];
  const client = new Client({ name: 'day-typescript', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (answer !== 'absent') {
    client.setRequestHandler('elicitation/create', async (request) => {
      report.asked.push(request.params.message);
      // No person answers faster, and Overt does not take a faster answer for one.
      await pause(400);
      return { action: 'accept', content: { decision: answer } };
    });
  }
  await client.connect(new StdioClientTransport({ command, args, env: { ...getDefaultEnvironment(), ...env } }));
  await client.listTools();
  report.versions[name] = client.getNegotiatedProtocolVersion();
  return client;
}

for (const { server, tool, arguments: given } of JSON.parse(readFileSync(calls, 'utf8'))) {
  clients[server] ??= await connect(server);
  try {
    const result = await clients[server].callTool({ name: tool, arguments: given });
    const text = result.content.map((item) => item.text ?? '').join('\n');
    report.calls.push({ server, tool, isError: result.isError ?? false, text });
  } catch (error) {
    report.calls.push({ server, tool, isError: true, text: `${error}` });
  }
}
console.log(JSON.stringify(report));
await Promise.all(Object.values(clients).map((client) => client.close()));
