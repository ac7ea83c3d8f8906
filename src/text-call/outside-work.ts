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
      const generation = model.generate(request, (event) => {
        if (event.type === 'done' || event.type === 'failed') end();
        emit(event);
        time.wake();
      });
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
      runner.run(toolRun, finish, toolCallId);
    },
  };
}
