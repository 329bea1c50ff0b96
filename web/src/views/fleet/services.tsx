// The selected services: cost, hosts, versions, and how much of their CPU time the samples explain.
import { createMemo, createSignal, type JSX } from 'solid-js';
import { useApp } from '../../app';
import type { ServiceRow, Services } from '../../engine/fleet';
import { cores, money } from '../../format/cost';
import { grouped, percent, percentCell, readable } from '../../format/numbers';
import { type TableColumn, VirtualTable } from '../../table/virtual_table';
import { byName } from './choice';
import type { Fleet } from './fleet';

const ROW_PX = 26;
/** Further rows need scrolling, so that the functions below have space. */
const MOST_ROWS = 6;
/** Number of shown versions, starting with the newest. The command line has the same number. */
const SHOWN_VERSIONS = 5;

const SORTS: Record<string, (left: ServiceRow, right: ServiceRow) => number> = {
  cores: (left, right) => right.cost.cores - left.cost.cores,
  sampled: (left, right) => (right.coverage_ratio ?? -1) - (left.coverage_ratio ?? -1),
  samples: (left, right) => right.sample_count - left.sample_count,
  hosts: (left, right) => right.hosts.length - left.hosts.length,
  name: (left, right) => byName(left.service, right.service),
};

export function ServicesTable(props: { fleet: Fleet; of: Services; isStale: boolean }): JSX.Element {
  const app = useApp();
  const [sort, setSort] = createSignal('cores');
  const [selected, setSelected] = createSignal<string | null>(null);
  const rows = createMemo(() => [...props.of.rows].sort(SORTS[sort()]));
  const total = () => props.of.rows.reduce((sum, row) => sum + row.cost.cores, 0);
  const isOnly = (row: ServiceRow) =>
    props.fleet.choice().service.length === 1 && props.fleet.choice().service[0] === row.service;
  const toggle = (row: ServiceRow) => {
    const wasOnly = isOnly(row);
    // Each service has its own versions and hosts.
    props.fleet.choose({ service: wasOnly ? [] : [row.service], version: [] });
    app.say(wasOnly ? 'All services' : `Only ${row.service}`);
  };
  const share = (row: ServiceRow) => (total() > 0 ? row.cost.cores / total() : 0);
  const columns: TableColumn<ServiceRow>[] = [
    {
      key: 'cores',
      title: 'Cores',
      width: '92px',
      isNumber: true,
      sort: 'cores',
      description: 'CPU seconds per second',
      cell: (row) => cores(row.cost.cores),
      heat: share,
    },
    {
      key: 'share',
      title: '%',
      width: '72px',
      isNumber: true,
      description: 'Of all shown services',
      cell: (row) => percentCell(share(row)),
    },
    {
      key: 'cost',
      group: 'Cost',
      title: 'per year',
      width: '92px',
      isNumber: true,
      cell: (row) => money(row.cost.cost_per_year),
    },
    {
      key: 'sampled',
      group: 'Exact CPU',
      title: 'sampled %',
      width: '96px',
      isNumber: true,
      sort: 'sampled',
      description: 'CPU time of the samples, in percent of the exact CPU time. – means that the kernel did not count it',
      cell: (row) => (row.coverage_ratio === null ? <span class="dim">–</span> : (row.coverage_ratio * 100).toFixed(1)),
    },
    {
      key: 'samples',
      title: 'Samples',
      width: '104px',
      isNumber: true,
      sort: 'samples',
      cell: (row) => grouped(row.sample_count),
    },
    { key: 'hosts', title: 'Hosts', width: '64px', isNumber: true, sort: 'hosts', cell: (row) => grouped(row.hosts.length) },
    {
      key: 'service',
      title: 'Service',
      width: 'minmax(190px, 1fr)',
      isName: true,
      sort: 'name',
      cell: (row) => (
        <span class="fleet-service">
          <span class="fleet-own">{row.service}</span>
          <button
            type="button"
            tabIndex={-1}
            class="button small fleet-only"
            aria-label={`${isOnly(row) ? 'All services instead of' : 'Only'} ${row.service}`}
            onClick={() => toggle(row)}
          >
            {isOnly(row) ? 'All' : 'Only'}
          </button>
        </span>
      ),
    },
    {
      key: 'versions',
      title: 'Versions',
      width: 'minmax(110px, 1fr)',
      cell: (row) => (
        <span class="dim" title={row.versions.join(', ')}>
          {versionWords(row.versions)}
        </span>
      ),
    },
  ];
  return (
    <div class="fleet-services" style={{ '--rows': Math.min(MOST_ROWS, Math.max(1, rows().length)) }}>
      <VirtualTable<ServiceRow>
        label="Services"
        columns={columns}
        rowCount={rows().length}
        rowAt={(index) => rows()[index]}
        rowHeight={ROW_PX}
        isStale={props.isStale}
        selected={rows().findIndex((row) => row.service === selected())}
        sortedBy={sort()}
        onSort={setSort}
        onSelect={(row) => setSelected(row.service)}
        onActivate={toggle}
        onPoint={(row) => app.showDetails(row && { name: row.service, values: valuesOf(row), facts: factsOf(row) })}
        empty="No data."
      />
    </div>
  );
}

/** `1.4, 1.5`, the newest last. A long list begins with the number of omitted versions. */
function versionWords(versions: readonly string[]): string {
  const sorted = [...versions].sort(byName);
  const more = sorted.length - SHOWN_VERSIONS;
  const shown = sorted.slice(Math.max(0, more)).join(', ');
  return more > 0 ? `${more} more, ${shown}` : shown;
}

function valuesOf(row: ServiceRow): (readonly [string, string])[] {
  return [
    ['CPU time of samples', readable(row.sampled_cpu_ns, 'nanoseconds')],
    ['exact', row.exact_cpu_ns === null ? 'not counted' : readable(row.exact_cpu_ns, 'nanoseconds')],
    ...(row.coverage_ratio === null ? [] : [['sampled', percent(row.coverage_ratio)] as const]),
    ['segments', grouped(row.segment_count)],
  ];
}

function factsOf(row: ServiceRow): string[] {
  const losses = row.losses.map(({ reason, count }) => `${grouped(count)} ${reason.replaceAll('_', ' ')}`);
  return [
    row.regions.length > 0 ? `in ${row.regions.join(', ')}` : '',
    losses.length > 0 ? `lost: ${losses.join(', ')}` : '',
  ].filter((fact) => fact !== '');
}
