import { parentPort, workerData } from 'node:worker_threads';
import { commitGroup, GROUP_BATCHES_MAX } from './group-commit.ts';
import { faultOf, SqliteConnection } from './sqlite-connection.ts';
import { ReceivedTexts } from './statement-texts.ts';
import type { Batch, BatchAnswer, SentBatch, WorkerAnswer, WorkerRequest, WorkerSettings } from './worker-protocol.ts';

if (parentPort === null) throw new Error('The database worker runs as a worker thread only');
const port = parentPort;
const settings: WorkerSettings = workerData;

const connection = open();
if (connection !== null) serve(connection);

function open(): SqliteConnection | null {
  try {
    const opened = new SqliteConnection(settings);
    answer({ type: 'opened' });
    return opened;
  } catch (error) {
    answer({ type: 'open_failed', ...faultOf(error) });
    return null;
  }
}

function serve(open: SqliteConnection): void {
  const waiting: Batch[] = [];
  const texts = new ReceivedTexts();
  let scheduled = false;
  const received = ({ id, statements }: SentBatch): Batch => ({
    id,
    statements: statements.map((statement) => texts.decode(statement)),
  });

  /**
   * A group holds all batches that arrived with the first one, or while the disk was busy with the group before. Under load
   * groups grow by themselves; a single write never waits for others.
   */
  const flush = (): void => {
    answer({ type: 'answered', answers: commitGroup(open, waiting.splice(0, GROUP_BATCHES_MAX)) });
    scheduled = waiting.length > 0;
    if (scheduled) setImmediate(flush);
  };

  port.on('message', (request: WorkerRequest) => {
    if (request.type === 'close') {
      while (waiting.length > 0) flush();
      open.close();
      port.close();
    } else if (request.type === 'execute') {
      answer({ type: 'answered', answers: [read(open, { id: request.id, statements: [request.statement] })] });
    } else if (settings.role === 'reader') {
      answer({ type: 'answered', answers: request.batches.map((batch) => read(open, received(batch))) });
    } else {
      waiting.push(...request.batches.map(received));
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
    }
  });
}

function read(open: SqliteConnection, { id, statements }: Batch): BatchAnswer {
  try {
    return { type: 'done', id, results: statements.map((statement) => open.run(statement)) };
  } catch (error) {
    return { type: 'refused', id, ...faultOf(error) };
  }
}

function answer(message: WorkerAnswer): void {
  port.postMessage(message);
}
