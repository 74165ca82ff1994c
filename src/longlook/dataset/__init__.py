"""Raw records of campaigns, their sealing and verification, and the tables made from them."""
