// Draws the frame of the console around another page of the server, for whoever has a session.
import { drawFrame, markPage } from './frame.js';
import { whoAmI } from './who.js';

drawFrame(await whoAmI(), '/console');
markPage(location.pathname);
