import 'uplot/dist/uPlot.min.css';
import './app.css';
import './views/view.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { takeToken } from './client';
import { dashboard } from './state.svelte';

takeToken();
dashboard.start();
mount(App, { target: document.getElementById('app')! });
