interface JsonObject {
  readonly [key: string]: unknown;
}

/** On a tape, the request of a `call.transfer` command is called `order`. */
const TRANSFER_FIELDS_ON_TAPE: ReadonlyMap<string, string> = new Map([['request', 'order']]);
const TRANSFER_FIELDS: ReadonlyMap<string, string> = new Map([['order', 'request']]);

/** An entry with its commands under the names that they have on a tape. */
export function entryToTape(entry: unknown): unknown {
  return withTransferFields(entry, TRANSFER_FIELDS_ON_TAPE);
}

/** An entry of a tape with its commands under the names of the engine. A value of another shape is returned unchanged. */
export function entryFromTape(entry: unknown): unknown {
  return withTransferFields(entry, TRANSFER_FIELDS);
}

function withTransferFields(entry: unknown, names: ReadonlyMap<string, string>): unknown {
  return renameFields(entry, new Map(), (key, value) =>
    key === 'commands' && Array.isArray(value)
      ? value.map((command) => (isTransfer(command) ? renameFields(command, names) : command))
      : value,
  );
}

function isTransfer(command: unknown): boolean {
  return isObject(command) && command.type === 'call.transfer';
}

/** The same object, with its fields in the same order, renamed, and their values replaced. */
export function renameFields(
  value: unknown,
  names: ReadonlyMap<string, string>,
  replace: (key: string, value: unknown) => unknown = (_, inner) => inner,
): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [names.get(key) ?? key, replace(key, inner)]));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
