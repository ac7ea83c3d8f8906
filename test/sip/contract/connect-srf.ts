import Srf from 'drachtio-srf';

/** Rejects where the server does not take the secret. */
export async function connectSrf(control: { host: string; port: number; secret: string }): Promise<Srf> {
  const srf = new Srf();
  srf.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    srf.on('connect', (error: Error | null) => (error ? reject(error) : resolve()));
    // A server that is gone stays gone here: no reconnection outlives a test.
    const options = { ...control, reconnect: { maxAttempts: 1 } };
    void srf.connect(options);
  });
  return srf;
}
