// A client written with the TypeScript SDK 1.x: lists, calls one tool, prints what it got as one line of JSON.
// usage: node sdk1.mjs legacy TOOL ARGUMENTS (URL | CMD ARGS...)

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { report, target } from './report.mjs';

const { url, command, args } = target();
const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ command, args });
// The SDK tells the transport which version was agreed on, and keeps no other record of it.
let version;
const setVersion = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (agreed) => {
  version = agreed;
  setVersion?.(agreed);
};

const client = new Client({ name: 'typescript-sdk-1', version: '1' });
await client.connect(transport);
await report(client, version);
await client.close();
