/** A request without a response: the service is down, or the network. Each browser has another message for it. */
export class ServiceUnreachable extends Error {
  constructor(options?: ErrorOptions) {
    super('the service cannot be reached', options);
    this.name = 'ServiceUnreachable';
  }
}

/** The result of a `fetch`, which rejects with a `TypeError` if the network failed. @throws ServiceUnreachable */
export async function reached<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw error instanceof TypeError ? new ServiceUnreachable({ cause: error }) : error;
  }
}
