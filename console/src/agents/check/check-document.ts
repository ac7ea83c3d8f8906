import './zod-without-eval.ts';
import { z } from 'zod';
import { agentConfigurationSchema, agentNameSchema } from '../../../../engine/agent/agent-schema.ts';
import { checkGraph } from '../../../../engine/agent/graph-check.ts';
import { reservedNameFaults } from '../../../../engine/agent/reserved-names.ts';
import { ApiError } from '../../../../src/api/errors/api-error.ts';
import { validated } from '../../../../src/api/errors/validation.ts';
import { valueAt, withValue } from '../document/document-edit.ts';
import { fieldPath } from '../document/field-path.ts';
import { fieldNamesAt } from '../document/schema-fields.ts';
import { type AgentFinding, faultFindings, warningFindings } from './agent-finding.ts';
import { UNKNOWN_FIELD } from './finding-message.ts';

const documentSchema = z.strictObject({ name: agentNameSchema, ...agentConfigurationSchema.shape });
/** Other fields of an agent. Only the service checks them. */
const OTHER_FIELDS: readonly string[] = ['webhook_url', 'webhook_subscriptions', 'secure_recording_urls'];
/** The newer name of `transcriber`. The service compares the two if a document has both. */
const NEWER_TRANSCRIBER = 'transcriber_configuration';
/** Stand for the providers that the service fills in. */
const DEFAULTS = {
  voice: { provider: 'default', name: 'default' },
  llm: { provider: 'default', model: 'default' },
  transcriber: { provider: 'default' },
};

/** `documentSchema` as JSON, made for the first unknown field. */
let schema: unknown;

/**
 * The findings of the service's schema, graph check and reserved names in a document, faults first. The checks of providers, voices,
 * headers and knowledge bases, and those of `OTHER_FIELDS`, need the service: it makes them when the document is stored.
 */
export function checkDocument(document: unknown): readonly AgentFinding[] {
  return findingsOf(document).map((finding) => {
    const field = fieldIn(document, finding.field);
    const allowed = finding.message === UNKNOWN_FIELD ? { allowed: allowedFields(document, field) } : {};
    return { ...finding, field, ...allowed };
  });
}

/** The fields that the object of an unknown field may have. */
function allowedFields(document: unknown, field: string): readonly string[] {
  const owner = fieldPath(field).slice(0, -1);
  schema ??= z.toJSONSchema(documentSchema, { io: 'input', unrepresentable: 'any' });
  const names = fieldNamesAt(schema, schema, document, owner);
  return owner.length === 0 ? [...OTHER_FIELDS, ...names] : names;
}

function findingsOf(document: unknown): readonly AgentFinding[] {
  try {
    const configuration = validated(documentSchema, completed(document));
    const { faults, warnings } = checkGraph(configuration);
    const notes = [...faults, ...reservedNameFaults(configuration)];
    return [
      ...faultFindings(notes.map(({ path, message }) => ({ field: path, message }))),
      ...warningFindings(warnings.map(({ path, message }) => ({ field: path, message }))),
    ];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return faultFindings(error.details ?? []);
  }
}

function hasOnlyNewerTranscriber(document: unknown): boolean {
  return valueAt(document, ['transcriber']) === undefined && valueAt(document, [NEWER_TRANSCRIBER]) !== undefined;
}

/** The path in the document of a field of the completed configuration. */
function fieldIn(document: unknown, field: string): string {
  return hasOnlyNewerTranscriber(document) ? field.replace(/^transcriber(?![^.[])/, NEWER_TRANSCRIBER) : field;
}

function completed(document: unknown): unknown {
  const newer = hasOnlyNewerTranscriber(document) ? valueAt(document, [NEWER_TRANSCRIBER]) : undefined;
  const renamed = newer === undefined ? document : withValue(document, ['transcriber'], newer);
  const configuration = [...OTHER_FIELDS, NEWER_TRANSCRIBER].reduce(
    (rest, name) => withValue(rest, [name], undefined),
    renamed,
  );
  return Object.entries(DEFAULTS).reduce((whole, [name, value]) => {
    const own = valueAt(whole, [name]);
    const isPart = own === undefined || (typeof own === 'object' && own !== null && !Array.isArray(own));
    return isPart ? withValue(whole, [name], { ...value, ...own }) : whole;
  }, configuration);
}
