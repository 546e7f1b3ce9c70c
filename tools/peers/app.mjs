// A client written with the TypeScript SDK 2.x that uses an MCP App: lists, calls its tool, reads its page, prints what
// it got as one line of JSON.
// usage: node app.mjs legacy|modern TOOL ARGUMENTS (URL | CMD ARGS...)

import { createHash } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { era, target, tool } from './report.mjs';

const { url, command, args } = target();
const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ command, args });
const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';

const client = new Client({ name: 'app-user', version: '1' }, { versionNegotiation: { mode } });
await client.connect(transport);
const { tools } = await client.listTools();
const result = await client.callTool({ name: tool, arguments: {} });
const uri = tools.find((listed) => listed.name === tool)._meta.ui.resourceUri;
const page = await client.readResource({ uri });
console.log(
  JSON.stringify({
    version: client.getNegotiatedProtocolVersion(),
    content: result.content.length,
    // Whatever is between must change nothing of these.
    same: {
      tools,
      pages: page.contents.map(({ text, ...rest }) => ({ ...rest, digest: createHash('sha256').update(text).digest('hex') })),
      structured: Object.keys(result.structuredContent ?? {}),
    },
  }),
);
await client.close();
