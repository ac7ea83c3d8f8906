export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/** The events of a text/event-stream (HTML Living Standard §9.2.6) of which the blank line has arrived, and the rest. */
export function readEvents(text: string): { readonly events: readonly ReceivedEvent[]; readonly rest: string } {
  const blocks = text.split('\n\n');
  const rest = blocks.pop() ?? '';
  const events = blocks.flatMap((block) => {
    const fields = new Map(
      block.split('\n').flatMap((line) => {
        const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        return name === undefined || value === undefined ? [] : [[name, value] as const];
      }),
    );
    const data = fields.get('data');
    return data === undefined ? [] : [{ id: fields.get('id') ?? '', type: fields.get('event') ?? 'message', data }];
  });
  return { events, rest };
}
