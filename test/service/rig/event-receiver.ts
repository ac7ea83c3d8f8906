import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const arrivalSchema = z.object({ id: z.string(), type: z.string(), sequence: z.number(), call_id: z.string() });

/** One received request. */
export interface Arrival extends z.output<typeof arrivalSchema> {
  /** The whole body, unparsed. */
  readonly body: string;
}

export interface EventReceiver {
  readonly url: string;
  /** All requests in order of arrival, duplicates included. */
  readonly arrivals: readonly Arrival[];
  /** Response to a request: 204 (`take`), 500 (`refuse`) or none (`hold`). */
  answer: (arrival: Arrival) => 'take' | 'refuse' | 'hold';
  /** Called after the 204 was sent. */
  onTaken: (arrival: Arrival) => void;
  close(): Promise<void>;
}

/** A webhook receiver that keeps all requests and can refuse them or never respond. */
export async function startEventReceiver(): Promise<EventReceiver> {
  const arrivals: Arrival[] = [];
  const respond = (arrival: Arrival, response: ServerResponse) => {
    const answer = receiver.answer(arrival);
    if (answer === 'hold') return;
    if (answer === 'take') response.on('finish', () => receiver.onTaken(arrival));
    response.writeHead(answer === 'take' ? 204 : 500).end();
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const arrival = { ...arrivalSchema.parse(JSON.parse(body)), body };
      arrivals.push(arrival);
      respond(arrival, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: EventReceiver = {
    url: `http://127.0.0.1:${port}/hooks`,
    arrivals,
    answer: () => 'take',
    onTaken: () => {},
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}
