import type { LanguageModel } from '../../engine/ports/language-model.ts';
import type { ToolResult, ToolRunner } from '../../engine/ports/tool-runner.ts';
import type { CallTime } from './call-time.ts';

/** The ports of a text call that reach outside. */
export interface OutsidePorts {
  model(time: CallTime): LanguageModel;
  tools(time: CallTime): ToolRunner;
}

/** The clock of the call runs while a response of the model is pending. */
export function modelInTime(model: LanguageModel, time: CallTime): LanguageModel {
  return {
    generate(request, emit) {
      const end = time.beginWork();
      const generation = endedIfThrown(end, () =>
        model.generate(request, (event) => {
          if (event.type === 'done' || event.type === 'failed') end();
          emit(event);
          time.wake();
        }),
      );
      return {
        cancel() {
          end();
          generation.cancel();
        },
      };
    },
  };
}

/** The clock of the call runs while a function runs. */
export function toolsInTime(runner: ToolRunner, time: CallTime): ToolRunner {
  return {
    run(toolRun, done, toolCallId) {
      const end = time.beginWork();
      const finish = (result: ToolResult) => {
        end();
        done(result);
      };
      endedIfThrown(end, () => runner.run(toolRun, finish, toolCallId));
    },
  };
}

/** Work that fails to start is not running: otherwise the clock would follow real time for the rest of the call. */
function endedIfThrown<T>(end: () => void, start: () => T): T {
  try {
    return start();
  } catch (error) {
    end();
    throw error;
  }
}
