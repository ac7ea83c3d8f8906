import { afterAll, beforeAll, describe, type TestOptions } from 'vitest';
import { z } from 'zod';
import { LASTING_DATABASES, type LastingEnvironment } from '../postgres/databases.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { talker } from '../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../service/rig/test-service.ts';

/** A service with one agent. */
export interface AttackedService {
  readonly test: TestService;
  readonly providers: EmulatedProviders;
  readonly agentId: string;
  /** Adds a trunk. Rejects unless the API accepts it. */
  addTrunk(fields: object): Promise<string>;
  removeTrunk(id: string): Promise<void>;
}

const withId = z.looseObject({ id: z.string() });

/** Runs the attacks against a service on each database. `options`: of the describe block of each database. */
export function describeAttacks(
  title: string,
  environment: Record<string, string>,
  attacks: (service: () => AttackedService) => void,
  options: TestOptions = {},
): void {
  describe.each(LASTING_DATABASES)(`${title}, on %s`, options, (_, openDatabase) => {
    let database: LastingEnvironment;
    let service: AttackedService | null = null;

    beforeAll(async () => {
      database = await openDatabase();
      const providers = await startEmulatedProviders();
      const test = await startTestService({ ...providers.environment, ...environment, ...database.environment });
      service = {
        test,
        providers,
        agentId: (await test.api.createAgent(talker())).id,
        addTrunk: async (fields) => (await test.api.requestOk(withId, 'POST', '/v1/sip-trunks', fields)).id,
        removeTrunk: async (id) => void (await test.api.requestOk(z.unknown(), 'DELETE', `/v1/sip-trunks/${id}`)),
      };
    });
    afterAll(async () => {
      await service?.test.close();
      await service?.providers.close();
      await database?.drop();
    });

    attacks(() => {
      if (service === null) throw new Error('the service has not started');
      return service;
    });
  });
}
