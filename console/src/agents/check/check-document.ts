import { z } from 'zod';
import { agentConfigurationSchema } from '../../../../engine/agent/agent-schema.ts';
import { checkGraph } from '../../../../engine/agent/graph-check.ts';
import { BUILT_IN_VARIABLES } from '../../../../engine/agent/variable-schema.ts';
import { ApiError } from '../../../../src/api/errors/api-error.ts';
import { validated } from '../../../../src/api/errors/validation.ts';
import type { AgentWarning } from '../../generated/client.ts';
import { listAt, textAt, valueAt, withValue } from '../document/document-edit.ts';

/** The policy of the page allows no code made from text, which zod would use for speed. */
z.config({ jitless: true });

/** Fields of an agent beside its configuration. The service checks them. */
const OTHER_FIELDS: readonly string[] = [
  'name',
  'webhook_url',
  'webhook_subscriptions',
  'secure_recording_urls',
  'transcriber_configuration',
];
/** Stand for the providers that the service fills in. */
const DEFAULTS = {
  voice: { provider: 'default', name: 'default' },
  llm: { provider: 'default', model: 'default' },
  transcriber: { provider: 'default' },
};
const BUILT_IN_NAMES: readonly string[] = BUILT_IN_VARIABLES.map(({ name }) => name);

/**
 * The findings of the service's schema and graph check in a document, faults first. Only the service knows providers, voices and
 * knowledge bases: it checks those when the document is stored.
 */
export function checkDocument(document: unknown): readonly AgentWarning[] {
  try {
    const { faults, warnings } = checkGraph(validated(agentConfigurationSchema, completed(document)));
    return [...faults, ...warnings].map(({ path, message }) => ({ field: path, message }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return (error.details ?? []).map(({ field, message }) => ({ field: field ?? '', message }));
  }
}

function completed(document: unknown): unknown {
  const configuration = OTHER_FIELDS.reduce((rest, name) => withValue(rest, [name], undefined), document);
  const variables = listAt(document, ['variables']).filter((one) => !BUILT_IN_NAMES.includes(textAt(one, ['name'])));
  return Object.entries(DEFAULTS).reduce(
    (whole, [name, value]) => {
      const own = valueAt(document, [name]);
      const isPart = own === undefined || (typeof own === 'object' && own !== null && !Array.isArray(own));
      return isPart ? withValue(whole, [name], { ...value, ...own }) : whole;
    },
    valueAt(document, ['variables']) === undefined ? configuration : withValue(configuration, ['variables'], variables),
  );
}
