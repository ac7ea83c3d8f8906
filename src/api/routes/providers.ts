import { z } from 'zod';
import type { Api, RouteContext } from '../context/route-context.ts';
import { envelopeOf, FAILURES, success } from '../errors/envelope.ts';
import { type PROVIDER_KINDS, providerSchema } from '../schemas/provider.ts';

const FOUND = 'Providers found';

/** The names of a kind of provider in the registry, in the API, and in the metrics of circuit breakers. */
const KINDS = {
  transcriber: { kind: 'transcriber', part: 'transcriber' },
  languageModel: { kind: 'llm', part: 'language_model' },
  voice: { kind: 'voice', part: 'voice' },
} as const satisfies Record<string, { kind: (typeof PROVIDER_KINDS)[number]; part: string }>;

/** The providers, models and voices that an agent can name. */
export function providerRoutes(api: Api, { authenticate, circuits, listProviders }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/providers',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listProviders',
      summary: 'List the providers',
      description:
        'Returns the configured transcribers, language models and voices, with the models and voices that each of them names, as far as it ' +
        'can. The lists are kept for ten minutes. An agent may name others. `POST /v1/doctor` checks the keys of the providers.',
      tags: ['Agents'],
      response: { 200: envelopeOf(z.array(providerSchema), FOUND), ...FAILURES },
    },
    handler: async () => {
      const open = (await circuits()).filter(({ isOpen }) => isOpen);
      const data = (await listProviders()).map(({ kind: ofRegistry, models, provider, status, voices }) => {
        const { kind, part } = KINDS[ofRegistry];
        const isOpen = open.some((circuit) => circuit.provider === provider && circuit.part === part);
        return { provider, kind, circuit_open: isOpen, status, models: [...models], voices: [...voices] };
      });
      return success(200, FOUND, data);
    },
  });
}
