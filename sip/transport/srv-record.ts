/** SRV (RFC 2782). */
export interface SrvRecord {
  readonly host: string;
  readonly port: number;
  /** The lowest is tried first. */
  readonly priority: number;
  /** The relative probability of being first within one priority. */
  readonly weight: number;
}

/**
 * Orders servers by priority, and within a priority by weighted random choice (RFC 2782, «Usage rules»).
 */
export function orderSrvRecords(records: readonly SrvRecord[], random: () => number): SrvRecord[] {
  const priorities = [...new Set(records.map(({ priority }) => priority))].sort((a, b) => a - b);
  return priorities.flatMap((current) =>
    orderByWeight(
      records.filter(({ priority }) => priority === current),
      random,
    ),
  );
}

function orderByWeight(records: readonly SrvRecord[], random: () => number): SrvRecord[] {
  // Records with weight 0 come first, so that only the lowest random number chooses them.
  const left = [...records].sort((a, b) => Number(a.weight > 0) - Number(b.weight > 0));
  const order: SrvRecord[] = [];
  while (left.length > 0) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0);
    let draw = Math.floor(random() * (total + 1));
    const index = left.findIndex(({ weight }) => {
      draw -= weight;
      return draw <= 0;
    });
    order.push(...left.splice(Math.max(0, index), 1));
  }
  return order;
}
