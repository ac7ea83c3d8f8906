/** SRV (RFC 2782). */
export interface SrvRecord {
  readonly host: string;
  readonly port: number;
  /** The lowest is tried first. */
  readonly priority: number;
  /** The relative frequency of the first place within one priority. */
  readonly weight: number;
}

/**
 * The order in which servers are tried: by priority, within one by weighted random choice (RFC 2782, «Usage rules»).
 */
export function orderSrvRecords(records: readonly SrvRecord[], random: () => number): SrvRecord[] {
  const priorities = [...new Set(records.map(({ priority }) => priority))].sort((one, other) => one - other);
  return priorities.flatMap((current) =>
    drawn(
      records.filter(({ priority }) => priority === current),
      random,
    ),
  );
}

function drawn(records: readonly SrvRecord[], random: () => number): SrvRecord[] {
  // Weight 0 comes first: chosen only by the lowest random number.
  const left = [...records].sort((one, other) => Number(one.weight > 0) - Number(other.weight > 0));
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
