// What the page knows: graphs, metrics, the selection and the open panels.
import type { Block, GraphId, GraphInfo, GraphSummary, Id, Metrics, PortRef, Session, Stream, ViewName } from './api';
import { api, openSocket, Refusal, type RecordId } from './client';
import { Connection, type ConnectionState } from './connection';
import { panelsFromText, panelsToText, type PanelSpec } from './panels';

export type Selection = { kind: 'block'; id: Id } | { kind: 'stream'; id: Id } | { kind: 'messages'; port: PortRef };

export interface Notice {
  id: number;
  text: string;
  error: boolean;
}

export interface Recording {
  id: RecordId;
  file: string;
  stream: Id;
}

const NOTICE_MS = 6000;

class Dashboard {
  session = $state.raw<Session | undefined>();
  graphs = $state.raw<GraphSummary[]>([]);
  graph = $state.raw<GraphInfo | undefined>();
  metrics = $state.raw<Metrics | undefined>();
  connection = $state<ConnectionState>('connecting');
  /** Why the server doesn't answer this page. */
  refused = $state<string | undefined>();
  selection = $state.raw<Selection | undefined>();
  panels = $state.raw<PanelSpec[]>([]);
  notices = $state.raw<Notice[]>([]);
  recordings = $state.raw<Recording[]>([]);
  /** Views stand still; nothing is sent for them. */
  frozen = $state(false);
  /** How often the graph that is shown was seen to start anew: its taps are asked for again then. */
  starts = $state(0);

  readonly summary = $derived(this.graphs.find((graph) => graph.id === this.graph?.id));
  readonly control = $derived(this.session?.role === 'control');
  readonly blocks = $derived(new Map<Id, Block>(this.graph?.blocks.map((block) => [block.id, block])));
  readonly streams = $derived(new Map<Id, Stream>(this.graph?.streams.map((stream) => [stream.id, stream])));
  readonly blockMetrics = $derived(new Map(this.metrics?.blocks.map((block) => [block.id, block])));
  readonly streamMetrics = $derived(new Map(this.metrics?.streams.map((stream) => [stream.id, stream])));

  link!: Connection;
  private nextNotice = 1;
  private refreshing: Promise<void> | undefined;
  /** Something has happened since the list of graphs was asked for last. */
  private isStale = false;
  /** The graph that was chosen last; it may be on its way. */
  private showing: { id: GraphId } | undefined;
  private wanted: { graph: string | undefined; panels: PanelSpec[] | undefined } = { graph: undefined, panels: undefined };

  /** Reads the address, connects, and opens what the address names. */
  start(): void {
    this.wanted = readAddress();
    this.link = new Connection(openSocket, {
      state: (state) => {
        this.connection = state;
        if (state === 'open') void this.refresh();
        if (state === 'lost') void this.findOut();
      },
      metrics: (graph, metrics) => {
        if (graph === this.graph?.id) this.metrics = metrics;
      },
      graphs: () => void this.refresh(),
      ended: (graph, error) => this.ended(graph, error),
      error: (sentence) => this.notify(sentence, true),
    });
    document.addEventListener('visibilitychange', () => this.link.pause(document.hidden));
    setInterval(() => this.tick(), 1000);
  }

  /** Asks for the list of graphs again, and for the graph that is shown. */
  refresh(): Promise<void> {
    this.isStale = true;
    return (this.refreshing ??= this.bringUpToDate());
  }

  /** An answer that was on its way while something happened may be older than that, so it is asked for again. */
  private async bringUpToDate(): Promise<void> {
    try {
      this.session ??= await api.session();
      while (this.isStale) {
        this.isStale = false;
        const graphs = await api.graphs();
        if (this.isStale) continue;
        const before = this.summary;
        this.graphs = graphs;
        if (before && before.state !== 'running' && this.summary?.state === 'running') this.starts++;
        const shown = [this.showing?.id, this.graph?.id].map((id) => graphs.find((graph) => graph.id === id)).find(Boolean);
        const named = graphs.find((graph) => String(graph.id) === this.wanted.graph);
        const next = shown ?? named ?? graphs.find((graph) => graph.state === 'running') ?? graphs[0];
        if (next) await this.show(next.id);
      }
    } catch (error) {
      this.notify(sentence(error), true);
    } finally {
      this.refreshing = undefined;
    }
  }

  /** A WebSocket doesn't say why it was refused; a request does. */
  private async findOut(): Promise<void> {
    try {
      await api.session();
      this.refused = undefined;
    } catch (error) {
      this.refused = error instanceof Refusal ? error.message : undefined;
    }
  }

  async show(id: GraphId): Promise<void> {
    const asked = { id };
    this.showing = asked;
    const info = await api.graph(id);
    // Somebody has chosen another one meanwhile.
    if (this.showing !== asked) return;
    const isOther = this.graph?.id !== id;
    if (isOther) {
      if (this.graph) this.link.unwatch(this.graph.id);
      this.metrics = undefined;
      this.selection = undefined;
      this.panels = [];
    }
    this.graph = info;
    this.link.watch(id);
    if (this.wanted.panels && (this.wanted.graph === undefined || this.wanted.graph === String(id))) {
      this.panels = this.wanted.panels;
    } else if (isOther) {
      this.panels = panelsFromText(panelsToText(info.views));
    }
    this.wanted = { graph: undefined, panels: undefined };
    this.writeAddress();
  }

  select(selection: Selection | undefined): void {
    this.selection = selection;
  }

  /** Opens a panel. The same view of the same place is opened once. */
  openPanel(view: ViewName, place: { stream: Id } | { port: PortRef }): void {
    const spec: PanelSpec = { view, ...place };
    const key = panelsToText([spec]);
    if (!this.panels.some((panel) => panelsToText([panel]) === key)) this.panels = [...this.panels, spec];
    this.writeAddress();
  }

  closePanel(panel: PanelSpec): void {
    this.panels = this.panels.filter((other) => other !== panel);
    this.writeAddress();
  }

  notify(text: string, error = false): void {
    if (this.notices.some((notice) => notice.text === text)) return;
    const notice = { id: this.nextNotice++, text, error };
    this.notices = [...this.notices, notice].slice(-4);
    setTimeout(() => this.dismiss(notice.id), NOTICE_MS);
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((notice) => notice.id !== id);
  }

  /** Runs a request; what it says when it fails becomes a notice. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.notify(sentence(error), true);
      return undefined;
    }
  }

  blockName(id: Id): string {
    return this.blocks.get(id)?.name ?? String(id);
  }

  private ended(graph: GraphId, error: string | null): void {
    this.isStale = true;
    const state = error ? 'failed' : 'ended';
    this.graphs = this.graphs.map((one) => (one.id === graph ? { ...one, state, error } : one));
    if (graph === this.graph?.id) this.recordings = [];
    const name = this.graphs.find((one) => one.id === graph)?.name ?? graph;
    this.notify(error ? `${name}: ${error}` : `${name} ended`, error != null);
  }

  private tick(): void {
    this.graphs = this.graphs.map((one) => {
      if (one.state !== 'running') return one;
      const seconds = one.id === this.graph?.id && this.metrics ? this.metrics.seconds : one.seconds + 1;
      return { ...one, seconds };
    });
  }

  private writeAddress(): void {
    if (!this.graph) return;
    const panels = panelsToText(this.panels);
    history.replaceState(null, '', `#g=${this.graph.id}&p=${panels}`);
  }
}

function readAddress() {
  const field = (name: string) => new RegExp(`[#&]${name}=([^&]*)`).exec(location.hash)?.[1];
  const panels = field('p');
  return { graph: field('g'), panels: panels === undefined ? undefined : panelsFromText(panels) };
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const dashboard = new Dashboard();
