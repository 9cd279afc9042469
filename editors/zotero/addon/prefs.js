pref("address", "http://127.0.0.1:8000");
pref("token", "");
pref("papers", 20);
