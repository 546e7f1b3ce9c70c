// The parts of Try beyond tools. They are loaded after the view is there.
import "./app";
import "./audio";
import "./history";
import "./prompts";
import "./questions";
import "./resources";
import "./server";
