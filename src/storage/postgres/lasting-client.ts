import pg from 'pg';
import { postgresError } from './postgres-fault.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * One connection of a command, for a transaction that lasts as long as the command. Statements have no time limit. Rejects with a
 * `DatabaseError`.
 */
export async function lastingClient(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: name,
  });
  // Without a listener a lost connection would end the process; the statement that needs it rejects anyway.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw postgresError(error);
  }
}
