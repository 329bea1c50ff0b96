// Starts the analyzer.
import { render } from 'solid-js/web';
import { connect } from './engine/connect';
import { createApp } from './shell/create_app';
import { Shell } from './shell/shell';
import './shell/shell.css';
import './theme/appearance';
import './theme/theme.css';

const root = document.getElementById('app');
if (!root) throw new Error('the page has no element #app');

const engine = connect();
render(() => <Shell frame={createApp(engine)} />, root);
