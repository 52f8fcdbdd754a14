import {
  type ArtifactForecast,
  artifactKind,
  artifactSeconds,
  artifactsHere,
  type ForecastRequest,
  forecastArtifacts,
  plannedBuilds,
  watchBuilds,
} from '../artifacts/handles/index.ts';
import { asEventError } from '../engine/errors.ts';
import type { NewEvent } from '../engine/options.ts';
import type { KubexmError, Text } from '../model/errors/index.ts';
import type { PlannedBuilds } from '../model/event.ts';
import { LOCAL } from '../model/host.ts';
import type { StepUse } from '../plan/step.ts';
import { prerequisiteError } from './prerequisites.ts';
import type { RunPipelineOptions } from './run-pipeline.ts';

type Options = Pick<RunPipelineOptions, 'env' | 'drain' | 'stop' | 'dryRun'>;

/** The artifacts that a run gets: what that takes, how far it is, and what is kept of it. */
export class RunArtifacts {
  private readonly request: ForecastRequest;
  private readonly secret: (field: string) => string | undefined;
  private readonly options: Options;
  private found: ArtifactForecast | undefined;
  private refusal: KubexmError | undefined;

  constructor(request: ForecastRequest, secret: (field: string) => string | undefined, options: Options) {
    this.request = request;
    this.secret = secret;
    this.options = options;
  }

  /**
   * Asks which sources answer, and throws where this machine lacks what they need: now, not after a build. A run that is
   * interrupted meanwhile begins, and ends at once.
   */
  async forecast(): Promise<void> {
    const { env = process.env, drain, stop, dryRun } = this.options;
    const signal = AbortSignal.any([drain, stop].filter((one) => one !== undefined));
    this.found = await forecastArtifacts(this.request, { env, signal, secret: this.secret }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    const refusal = this.found && prerequisiteError(this.found);
    if (refusal !== undefined && dryRun !== true) throw refusal;
    this.refusal = refusal;
  }

  /** A dry run goes on, and says why the run would not begin. */
  tellRefusal(emit: (event: NewEvent) => void): void {
    if (this.refusal !== undefined) emit({ type: 'warning', error: asEventError(this.refusal, LOCAL) });
  }

  /** What is built from source. Unset: nothing. */
  get builds(): PlannedBuilds | undefined {
    return this.found && plannedBuilds(this.found);
  }

  /** What a step weighs once the sources were asked: what waits for an artifact may have to wait for all of them. */
  weightOf({ step, weight }: StepUse): number {
    return this.found !== undefined && step.kind === artifactKind ? artifactSeconds(this.found) : weight;
  }

  /** Tells how far the builds are, until the returned function is called. */
  async tellBuilds(emit: (event: NewEvent) => void): Promise<() => void> {
    return await watchBuilds(this.request, { secret: this.secret }, ({ programs, built, share, leftSeconds }) => {
      const rounded = { share: Math.round(share * 1000) / 1000, leftSeconds: Math.round(leftSeconds) };
      emit({ type: 'build-progress', programs, built, ...rounded });
    });
  }

  /** What is here and kept, where the run did not get all. Only a hint: it must not cost the run its report. */
  async tellKept(emit: (event: NewEvent) => void): Promise<void> {
    if (this.options.dryRun === true) return;
    try {
      const { here, items } = await artifactsHere(this.request, { secret: this.secret });
      if (here < items) emit({ type: 'message', text: keptText(here, items) });
    } catch (error) {
      emit({ type: 'warning', error: asEventError(error, 'run') });
    }
  }
}

function keptText(here: number, items: number): Text {
  return {
    en: `${here} of ${items} artifacts are here and kept; the next run gets the others.`,
    zh: `${items} 个制品中已有 ${here} 个在本机并会保留；下次运行会获取其余的。`,
  };
}
