import { removeServer, serverFolder } from './server.ts';

/** A folder for the tests' own PostgreSQL, which the first test that asks for it starts; stopped and removed after the run. */
export default async function cluster(): Promise<() => Promise<void>> {
  const folder = await serverFolder();
  process.env.TRUNKLINE_TEST_POSTGRES = folder;
  return async () => {
    delete process.env.TRUNKLINE_TEST_POSTGRES;
    await removeServer(folder);
  };
}
