// What both TypeScript clients do once they are connected.

const [, , eraName, toolName, toolArguments, ...rest] = process.argv;

export const era = eraName;
export const tool = toolName;

export function target() {
  const [first, ...args] = rest;
  return first.startsWith('http:') ? { url: first } : { command: first, args };
}

export async function report(client, version) {
  const { tools } = await client.listTools();
  const capabilities = client.getServerCapabilities() ?? {};
  const { resources } = capabilities.resources ? await client.listResources() : { resources: [] };
  const { prompts } = capabilities.prompts ? await client.listPrompts() : { prompts: [] };
  const result = await client.callTool({ name: tool, arguments: JSON.parse(toolArguments) });
  console.log(
    JSON.stringify({
      version,
      tools: tools.map((tool) => tool.name),
      resources: resources.map((resource) => resource.uri),
      prompts: prompts.map((prompt) => prompt.name),
      text: result.content.map((item) => item.text ?? '').join('\n'),
    }),
  );
}
