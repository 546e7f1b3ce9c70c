// A client written with the TypeScript SDK 2.x: lists, calls one tool, prints what it got as one line of JSON.
// usage: node sdk2.mjs legacy|modern TOOL ARGUMENTS (URL | CMD ARGS...)

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { era, report, target } from './report.mjs';

const { url, command, args } = target();
const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ command, args });
const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';

const client = new Client({ name: 'typescript-sdk-2', version: '1' }, { versionNegotiation: { mode } });
await client.connect(transport);
await report(client, client.getNegotiatedProtocolVersion());
await client.close();
