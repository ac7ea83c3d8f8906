/** Which version the page of an agent shows. Kept in the address, so that a link and the back button keep it. */
export interface AgentSearch {
  /** Absent: the active version. */
  readonly version?: number;
}

/** Reads an address that anyone may have written. Invalid parts are left out. */
export function readAgentSearch({ version }: Readonly<Record<string, unknown>>): AgentSearch {
  return typeof version === 'number' && Number.isInteger(version) && version > 0 ? { version } : {};
}
