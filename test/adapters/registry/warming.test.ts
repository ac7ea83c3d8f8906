import { expect, it, onTestFinished } from 'vitest';
import { createRegistry } from '../../../adapters/registry/provider-registry.ts';
import { PROVIDER_VARIABLES } from '../../../adapters/registry/provider-variables.ts';
import { LoopbackServer } from '../../providers/loopback-server.ts';
import { settle, waitFor } from '../contract/event-log.ts';

const KINDS = ['transcriber', 'languageModel', 'voice'] as const;
/** These open a socket for each call, or run a local program: warming connects nothing. */
const NOT_WARMED = ['transcriber openai', 'voice espeak'].concat(
  ['deepgram', 'elevenlabs', 'cartesia'].flatMap((name) => KINDS.map((kind) => `${kind} ${name}`)),
);

function registryAt(baseUrl: string) {
  const values = { key: 'k', base_url: baseUrl, text: 'k' };
  return createRegistry(Object.fromEntries(PROVIDER_VARIABLES.map(({ kind, name }) => [name, values[kind]])));
}

const PROVIDERS = registryAt('http://127.0.0.1:9/v1').providers.flatMap(({ kinds, name }) =>
  kinds.map((kind) => [kind, name] as const),
);

it.each(PROVIDERS)('warming a %s %s opens a connection if it uses HTTP', async (kind, name) => {
  const server = await LoopbackServer.listen((_request, response) => response.end('{}'));
  const registry = registryAt(`${server.origin}/v1`);
  onTestFinished(async () => {
    await registry.close();
    await server.close();
  });
  registry.warm(kind, name);
  const isWarmed = !NOT_WARMED.includes(`${kind} ${name}`);
  if (!isWarmed) await settle();
  await waitFor(() => expect(server.connections).toBe(isWarmed ? 1 : 0));
});
