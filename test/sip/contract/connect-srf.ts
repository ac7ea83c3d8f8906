import Srf from 'drachtio-srf';

/** Connects a `drachtio-srf`. Rejects if the server refuses the secret. */
export async function connectSrf(control: { host: string; port: number; secret: string }): Promise<Srf> {
  const srf = new Srf();
  srf.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    srf.on('connect', (error: Error | null) => (error ? reject(error) : resolve()));
    // No reconnection may outlive a test.
    const options = { ...control, reconnect: { maxAttempts: 1 } };
    void srf.connect(options);
  });
  return srf;
}
