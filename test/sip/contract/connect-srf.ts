import Srf from 'drachtio-srf';

/** Connects a `drachtio-srf`. Rejects if the server refuses the secret, or closes the connection instead of a reply. */
export async function connectSrf(control: { host: string; port: number; secret: string }): Promise<Srf> {
  const srf = new Srf();
  const events: NodeJS.EventEmitter = srf;
  await new Promise<void>((resolve, reject) => {
    srf.on('error', reject);
    events.on('close', () => reject(new Error('the server closed the connection that was to authenticate')));
    srf.on('connect', (error: Error | null) => (error ? reject(error) : resolve()));
    // No reconnection may outlive a test.
    const options = { ...control, reconnect: { maxAttempts: 1 } };
    void srf.connect(options);
  });
  return srf;
}
