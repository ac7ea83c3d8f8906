import type { AgentWarning } from '../../generated/client.ts';

/** What a check says about a field of an agent. A fault prevents that the document is stored, a warning does not. */
export interface AgentFinding extends AgentWarning {
  readonly severity: 'fault' | 'warning';
  /** The fields that the object may have, if the field is unknown. */
  readonly allowed?: readonly string[];
}

/** The findings of the service in the last attempt to store a document. */
export interface ServiceFindings {
  /** The text that was refused, or the version that was stored; null: there was no attempt. */
  readonly document: string | number | null;
  readonly findings: readonly AgentFinding[];
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

/** The findings of both checks of a document, each once. The page's own name the allowed fields. */
export function joinedFindings(
  service: readonly AgentFinding[],
  page: readonly AgentFinding[],
): readonly AgentFinding[] {
  const isOfPage = ({ field, message }: AgentFinding) =>
    page.some((finding) => finding.field === field && finding.message === message);
  return [...service.filter((finding) => !isOfPage(finding)), ...page];
}
