import { removeServer, serverFolder } from './server.ts';

/**
 * Creates the folder of the run's PostgreSQL, which the first test that needs it starts. Stops and removes it after the
 * run.
 */
export default async function cluster(): Promise<() => Promise<void>> {
  const folder = await serverFolder();
  process.env.TRUNKLINE_TEST_POSTGRES = folder;
  return async () => {
    delete process.env.TRUNKLINE_TEST_POSTGRES;
    await removeServer(folder);
  };
}
