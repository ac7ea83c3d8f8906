import type { LanguageModel, ModelEvent } from '../../engine/ports/language-model.ts';
import type { ToolResult, ToolRunner } from '../../engine/ports/tool-runner.ts';
import type { JobLink } from '../background/job-process/serve-jobs.ts';
import { modelInTime, type OutsidePorts, toolsInTime } from '../text-call/outside-work.ts';
import type { TestRunMessage, TestRunReply } from './test-run.ts';

/** The language model and the functions of the parent process: this one has neither keys nor the network of the service. */
export function parentPorts(link: JobLink<TestRunMessage, TestRunReply>): OutsidePorts {
  const generations = new Map<number, (event: ModelEvent) => void>();
  const toolRuns = new Map<number, (result: ToolResult) => void>();
  let lastId = 0;
  link.onMessage((reply) => {
    if (reply.type === 'model') {
      const emit = generations.get(reply.id);
      if (reply.event.type === 'done' || reply.event.type === 'failed') generations.delete(reply.id);
      emit?.(reply.event);
    } else {
      const done = toolRuns.get(reply.id);
      toolRuns.delete(reply.id);
      done?.(reply.result);
    }
  });
  const model: LanguageModel = {
    generate(request, emit) {
      lastId += 1;
      const id = lastId;
      generations.set(id, emit);
      link.post({ type: 'generate', id, request });
      return {
        cancel() {
          if (generations.delete(id)) link.post({ type: 'cancel', id });
        },
      };
    },
  };
  const tools: ToolRunner = {
    run(toolRun, done, toolCallId) {
      lastId += 1;
      toolRuns.set(lastId, done);
      link.post({ type: 'run_tool', id: lastId, toolRun, toolCallId });
    },
  };
  return { model: (time) => modelInTime(model, time), tools: (time) => toolsInTime(tools, time) };
}
