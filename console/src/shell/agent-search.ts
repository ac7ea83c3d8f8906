/** Which version the page of an agent shows. Kept in the address, so that a link and the back button keep it. */
export interface AgentSearch {
  /** Absent: the active version. */
  readonly version?: number;
}

/** Of an address that anyone may have written. What is not understood is left out. */
export function readAgentSearch({ version }: Readonly<Record<string, unknown>>): AgentSearch {
  return typeof version === 'number' && Number.isInteger(version) && version > 0 ? { version } : {};
}
