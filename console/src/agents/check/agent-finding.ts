import type { AgentWarning } from '../../generated/client.ts';

/** What a check says about a field of an agent. A fault prevents that the document is stored, a warning does not. */
export interface AgentFinding extends AgentWarning {
  readonly severity: 'fault' | 'warning';
  /** The fields that the object may have, if the field is unknown. */
  readonly allowed?: readonly string[];
}

interface Detail {
  readonly field: string | null;
  readonly message: string;
}

export function faultFindings(details: readonly Detail[]): readonly AgentFinding[] {
  return details.map(({ field, message }) => ({ severity: 'fault', field: field ?? '', message }));
}

export function warningFindings(warnings: readonly AgentWarning[]): readonly AgentFinding[] {
  return warnings.map(({ field, message }) => ({ severity: 'warning', field, message }));
}
